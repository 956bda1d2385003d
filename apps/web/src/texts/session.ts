/** Texts of the pages for people who are not signed in, or whose plan has no dashboard. */
export const session = {
  signedOut: {
    title: (product: string) => `Sign in to ${product}`,
    provider: (host: string) => `Sign in with ${host}`,
    noGroup: 'If none of your groups has access, ask the operator of this server.',
    link: 'There are no passwords. The operator of this server gives you a link that signs you in once, within 15 minutes.',
    operator: 'The operator creates the link with this command:',
    copied: 'The command is copied.',
    anyUsername: 'USERNAME',
    next: 'Open the link in this browser. All of its tabs are signed in then.',
    nextOverViews: 'Open the link in another tab of this browser. This page then goes on where it was.',
    reasons: {
      expired: 'Your session has ended. Sign in again.',
      'signed-out': 'You are signed out.',
    },
  },
  failed: {
    title: 'This link does not work',
    used: 'A sign-in link works once, for 15 minutes. This one is used, expired or incomplete.',
  },
  otherAccount: (current: string, other: string) =>
    `You are signed in as ${current}. This link signs you in as ${other}, in all tabs of this browser. Do you want that?`,
  otherTab: (username: string | null) =>
    `Another tab signed in as ${username ?? 'another user'}, and so did this one. Unsaved changes are lost.`,
  ends: (when: string) => `Your session ends at ${when}. Sign in again then, or before.`,
  passkey: {
    signIn: 'Sign in with a passkey',
    add: 'Add a passkey',
    added: 'The passkey is added.',
    unknown:
      'This passkey was deleted here. Delete it on the device, too, and sign in with another one or with a link.',
    refused: 'The passkey was not accepted. Try again.',
    /** By the name of the browser's error. */
    errors: {
      NotAllowedError: 'No passkey was used: the browser was cancelled, or took too long. Try again.',
      AbortError: 'No passkey was used: the browser was cancelled, or took too long. Try again.',
      InvalidStateError: 'This device has a passkey for this account already.',
      SecurityError:
        'The browser allows no passkey at this address. Use the address that the operator of this server gave you.',
      other: 'The browser could not use a passkey. Try again, or use another device.',
    },
  },
  offer: {
    title: 'Sign in without a link next time',
    text: 'Add a passkey: the fingerprint, face or PIN of this device. Sign-in links come from the operator only.',
    notNow: 'Not now',
    device: 'This device',
  },
  plan: {
    title: 'Your plan has no dashboard',
    text: (plan: string) =>
      `This account has the ${plan} plan. Links and analytics need the Developer plan or higher. Your short links keep working. Ask the operator of this server to change the plan.`,
  },
};
