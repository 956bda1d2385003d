import { countText } from './locale.ts';

/** Texts of the frame and of the shared components. */
export const shared = {
  title: (page: string, product: string) => `${page} · ${product}`,
  nav: {
    label: 'Main',
    links: 'Links',
    analytics: 'Analytics',
    hashtags: 'Hashtags',
    hosts: 'Hosts',
    jobs: 'Jobs',
    activity: 'Activity',
    settings: 'Settings',
    skip: 'Skip to the content',
  },
  account: {
    signOut: 'Sign out',
    plan: (plan: string) => `${plan[0]!.toUpperCase()}${plan.slice(1)} plan`,
    switch: 'Account',
  },
  /** Why a request got no response. */
  noResponse: {
    offline: 'You are offline. The page continues when the network is back.',
    away: 'The server cannot be reached. Check the network and try again.',
    blocked:
      'The server can be reached, but something stopped this request, most likely a content blocker. Allow this site in it and try again.',
    newVersion: 'There is a newer version of the dashboard. Reload the page to continue.',
  },
  rateWait: {
    text: 'Too many requests.',
    detail: (seconds: number) => `The page goes on in ${countText(seconds, 'second')}.`,
  },
  sessionEnded: 'Your session had ended. Try again.',
  /** Follows the message of a change that failed. */
  uncertain: 'The change may have been made all the same. The page loads again what it shows.',
  unexpected: (status: number) => `The server responded with an unexpected error (${status}). Try again.`,
  notShown: { title: 'This view could not be shown', text: 'Something went wrong.' },
  reload: 'Reload',
  retry: 'Try again',
  loading: 'Loading…',
  working: 'Working…',
  cancel: 'Cancel',
  stop: 'Stop',
  close: 'Close',
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'The browser did not allow copying. Copy the selected text.',
  dismiss: 'Dismiss',
  typeCount: (count: string) => `Type ${count} to continue`,
  optional: 'optional',
  /** By the type of the field. */
  unreadable: {
    date: 'Part of the date is missing or wrong. Complete it, or clear the field.',
    time: 'Part of the time is missing or wrong. Complete it, or clear the field.',
    'datetime-local': 'Part of the date or of the time is missing or wrong. Complete it, or clear the field.',
    number: 'This is not a number. Change it, or clear the field.',
  } as Record<string, string>,
  notFound: { title: 'This page does not exist', text: 'The address may be mistyped.', action: 'Go to your links' },
};
