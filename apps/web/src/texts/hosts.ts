import { fieldLabels } from './links.ts';

/** Texts of the short hosts. */
export const hosts = {
  title: 'Hosts',
  intro: (host: string) =>
    `Short links begin with ${host}. They can also begin with a host of your own, once DNS shows that it is yours.`,
  readOnly: 'You can see the hosts. Only a Full Access key can manage them.',
  add: 'Add a host',
  empty: {
    title: 'No hosts of your own yet',
    text: (host: string) =>
      `Short links begin with ${host}. With a host of your own, they begin with go.example.com, for example.`,
  },
  statuses: { pending: 'Not verified yet', verified: 'Verified', lost: 'Lost' },
  explained: {
    pending: 'Links can use this host once it is verified.',
    verified: 'Links can use this host. Keep the TXT record: it is looked for every day.',
    lost: 'The TXT record was missing for 7 days, or another account has the host. Its links do not redirect. They do again once the host is verified.',
  },
  checked: (when: string) => `Last looked for ${when}.`,
  record: {
    title: 'DNS records',
    cname: (host: string) =>
      `Create a CNAME record of the host with the value ${host}, or A and AAAA records with the addresses of this server.`,
    txt: 'Create a TXT record with this name and this value. Many DNS providers want the name without the domain.',
    name: 'Name',
    value: 'Value',
    copy: (what: string, host: string) => `Copy the ${what} of the TXT record of ${host}`,
    copied: { name: 'The name of the TXT record is copied.', value: 'The value of the TXT record is copied.' },
  },
  verify: {
    action: 'Verify',
    of: (host: string) => `Verify ${host}`,
    done: (host: string) => `${host} is verified.`,
    missing: 'The TXT record was not found. A new record can take some minutes until DNS shows it. Then try again.',
    silent: 'DNS did not answer. Try again in a minute.',
  },
  redirects: {
    none: 'None: visitors get “not found”.',
    edit: 'Edit…',
    editOf: (host: string) => `Edit… ${host}`,
    title: (host: string) => `Edit ${host}`,
    hints: {
      root_url: 'Where the host without a short link leads to. If it is empty, visitors get “not found”.',
      not_found_url: 'Where visitors go in place of “not found”.',
    },
    save: 'Save',
    saved: 'The host is saved.',
  },
  form: {
    label: fieldLabels.host!,
    hint: 'A name such as go.example.com, without https://.',
    added: (host: string) => `${host} is added. Create its DNS records next.`,
  },
  delete: {
    action: 'Delete…',
    of: (host: string) => `Delete… ${host}`,
    title: (host: string) => `Delete ${host}?`,
    text: 'It is deleted only if no link uses it. To use it again, you need to add and verify it again.',
    confirm: 'Delete the host',
    done: 'The host is deleted.',
  },
};
