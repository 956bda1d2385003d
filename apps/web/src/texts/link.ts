/** Texts of the page of one link. */
export const link = {
  label: 'Link',
  changedAt: 'Last changed',
  clicks: 'Clicks',
  lastClicked: (when: string) => `Last click ${when}`,
  neverClicked: 'No clicks yet',
  analytics: 'Analytics',
  history: 'History',
  historyOf: (name: string) => `History of ${name}`,
  qr: 'QR code',
  gone: {
    title: 'There is no such link',
    text: 'It is deleted, or belongs to another account.',
  },
};
