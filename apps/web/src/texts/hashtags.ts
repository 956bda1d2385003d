import { countText } from './locale.ts';

/** Texts of the view of hashtags. */
export const hashtags = {
  title: 'Hashtags',
  columns: { hashtag: 'Hashtag', links: 'Links', clicks: 'Clicks', actions: 'Actions' },
  analytics: (clicks: string, tag: string) => `${clicks}: analytics of #${tag}`,
  empty: { title: 'No hashtags yet', text: 'Add some to your links, and they are here.' },
  rename: (tag: string) => `Rename #${tag}`,
  remove: (tag: string) => `Remove #${tag}`,
  actions: { rename: 'Rename', remove: 'Remove' },
  counting: 'Counting the links…',
  /** How many links have a hashtag, and how many of them are archived. */
  matched: (all: number, archived: number, tag: string) => {
    const have = `${countText(all, 'link has', 'links have')} #${tag}`;
    return archived === 0 ? `${have}.` : `${have}, ${countText(archived, 'archived one', 'archived ones')} included.`;
  },
  linksStay: 'The links stay.',
  newName: 'New name',
  merge: (to: string) => `Merge into #${to}`,
  merges: (from: string, to: string) => `#${to} exists: its links and those with #${from} become one hashtag.`,
};
