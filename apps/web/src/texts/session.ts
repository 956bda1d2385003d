/** Texts of the pages for people who are not signed in, or whose plan has no dashboard. */
export const session = {
  signedOut: {
    title: 'Sign in to Waymark',
    text: 'There are no passwords. You sign in with a link that works once, for 15 minutes. The operator of this server creates one with this command:',
    command: 'npx pnpm@12.21.0 -s admin account sign-in-link --username ada',
    copied: 'The command is copied.',
    next: 'Open the link in this browser. The session lasts 12 hours, in one tab.',
    reasons: {
      expired: 'Your session has ended. Sign in again with a new link.',
      'signed-out': 'You are signed out.',
    },
  },
  failed: {
    title: 'This link does not work',
    used: 'A sign-in link works once, for 15 minutes. This one is used, expired or incomplete. Create a new one:',
  },
  plan: {
    title: 'Your plan has no dashboard',
    text: (plan: string) =>
      `This account has the ${plan} plan. Links and analytics need the Developer plan or higher. Your short links keep working. Ask the operator of this server to change the plan.`,
  },
};
