import type { PageTexts } from './page-texts.ts';

export const en: PageTexts = {
  language: 'en',
  notFound: {
    title: 'Link not found',
    text: 'This short link does not exist. It may have been mistyped or removed.',
  },
  expired: {
    title: 'Link expired',
    text: 'The owner of this short link limited its use. The limit has been reached.',
  },
  password: {
    title: 'Password needed',
    errorTitle: 'Error: password needed',
    text: 'This link is protected. Enter its password to continue.',
    label: 'Password',
    wrong: 'That password is not right. Check it and try again.',
    tooMany: 'Too many wrong passwords. Wait a minute, then try again.',
    button: 'Continue',
  },
  link: {
    title: 'Short link',
    leadsTo: 'The link leads to:',
    unknown: 'The link shows its destination once you follow it.',
    button: 'Continue',
  },
};
