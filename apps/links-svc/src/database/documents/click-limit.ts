/** What is left of the `max_clicks` of a link, since it was set. It is removed once the link has expired. */
export interface ClickLimitDocument {
  /** Random, so that each `max_clicks` that is set is counted from its beginning. */
  _id: string;
  account_id: string;
  link_id: string;
  /** How many redirects are left. Visitors who came too late make it negative. */
  left: number;
}
