import { fieldLabels } from './links.ts';

/** What can be copied of the DNS records. */
const copied = {
  cname: 'value of the CNAME record',
  name: 'name of the TXT record',
  shortName: 'short name of the TXT record',
  value: 'value of the TXT record',
};

/** Texts of the short hosts. */
export const hosts = {
  title: 'Hosts',
  intro: (host: string) =>
    `Short links begin with ${host}. They can also begin with a host of your own, once DNS shows that it is yours.`,
  readOnly: 'You can see the hosts. Only owners of the account manage them.',
  add: 'Add a host',
  empty: {
    title: 'No hosts of your own yet',
    text: (host: string) =>
      `Short links begin with ${host}. They can also begin with a host of your own, such as links.example.com.`,
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
    cname:
      'Let the host lead here: create a CNAME record with this value, or A and AAAA records with the addresses of this server.',
    addresses: 'Let the host lead here: create A and AAAA records with the addresses of this server.',
    txt: 'Show that it is yours: create a TXT record with this name and this value, without quotes.',
    name: 'Name',
    shortName: (domain: string) => `Name, if the provider adds ${domain}`,
    value: 'Value',
    copy: (what: keyof typeof copied, host: string) => `Copy the ${copied[what]} of ${host}`,
    copied: (what: keyof typeof copied) => `The ${copied[what]} is copied.`,
  },
  verify: {
    action: 'Verify',
    of: (host: string) => `Verify ${host}`,
    done: (host: string) => `${host} is verified.`,
    again: 'Check that the provider did not add the domain twice, then try again.',
    silent: 'DNS did not answer. Try again in a minute.',
  },
  forNewLinks: 'Use for new links in this browser',
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
    hint: 'A name such as go.example.com.',
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
