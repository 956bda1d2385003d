import type { Account } from '../accounts/account.ts';
import type { Analytics } from '../analytics/analytics.ts';
import type { CreateLinkInput, Link, UpdateLinkInput } from '../links/link.ts';
import type { LinkList } from '../links/link-list.ts';

export const accountExample: Account = { username: 'ada', plan: 'developer', key_scope: 'full_access' };

/** A link as it is shown, its short URL below the public address. */
export function linkExample(publicUrl: string): Link {
  return {
    id: '019a4f0e8f2c7d31a4b6',
    slug: 'summer-sale',
    short_url: `${publicUrl}/summer-sale`,
    destination_url: 'https://example.com/summer?ref=mail',
    title: 'Summer sale',
    description: 'Everything must go.',
    note: 'Printed on the July flyer.',
    hashtags: ['summer', 'sale'],
    visibility: 'public',
    clicks: 42,
    last_clicked_at: '2026-11-21T09:30:00.000Z',
    created_at: '2026-11-01T08:00:00.000Z',
    updated_at: '2026-11-02T10:15:30.000Z',
  };
}

export function linkListExample(publicUrl: string): LinkList {
  return { links: [linkExample(publicUrl)], page: 1, per: 25, total: 1, total_pages: 1 };
}

/** Without a slug, so that it can be sent as it is again and again. */
export const createLinkExample: CreateLinkInput = {
  destination_url: 'https://example.com/summer?ref=mail',
  title: 'Summer sale',
  hashtags: ['summer', 'sale'],
};

export const protectedLinkExample: CreateLinkInput = {
  destination_url: 'https://example.com/members',
  slug: 'members-only',
  visibility: 'password-protected',
  password: 'correct horse battery staple',
};

export const updateLinkExample: UpdateLinkInput = { title: 'Winter sale', hashtags: ['winter', 'sale'] };

/** Three days, so that it can be read; every sum is the number of clicks. */
export function analyticsExample(publicUrl: string): Analytics {
  const { id, slug, short_url, title, destination_url } = linkExample(publicUrl);
  return {
    days: 3,
    source: null,
    tz: 'UTC',
    from: '2026-11-19',
    to: '2026-11-21',
    clicks: 42,
    clicks_by_day: [
      { date: '2026-11-19', clicks: 12 },
      { date: '2026-11-20', clicks: 0 },
      { date: '2026-11-21', clicks: 30 },
    ],
    devices: [
      { device: 'mobile', clicks: 30 },
      { device: 'desktop', clicks: 12 },
    ],
    sources: [
      { source: 'google.com', clicks: 40 },
      { source: 'direct', clicks: 2 },
    ],
    top_links: [{ id, slug, short_url, title, destination_url, clicks: 42 }],
  };
}
