/** The columns that are imported: the fields of a creation. */
export const COLUMNS = [
  'destination_url',
  'slug',
  'title',
  'description',
  'note',
  'hashtags',
  'visibility',
  'password',
  'expires_at',
  'expired_url',
  'archived',
] as const;
