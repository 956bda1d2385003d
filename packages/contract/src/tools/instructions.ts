/** The instructions that the MCP server sends to a model when a client connects. */
export const MCP_INSTRUCTIONS = `Waymark manages short links and counts their clicks.

What the key may see: a Full Access key (key_live_) sees every link. A Public Links Only key (key_pub_) sees public and unlisted links only; for it, private and password-protected links do not exist, so a link that is not found may still exist for the owner. A restricted key (key_res_) may do less, or only with links of one hashtag. get_me tells which key this is.

Finding a link: update_link, delete_link and get_analytics take the link's id, slug or short URL. If you know none of them, use list_links (search with q: every word must occur in the slug, title, URL, description, note or a hashtag; a word like #sale finds that hashtag, a short URL finds its link). Never guess one.

Arguments: null means not sent. update_link empties texts and expires_at with "" and hashtags with [].

Paging: list_links gives page, per, total and total_pages. Ask for the next page until page equals total_pages; per may be at most 100.

Errors: a failed call tells which field is wrong and what is allowed. Correct that field and call again. After "try again", wait the seconds that it names; a create_link that failed that way may still have made the link, so search before repeating it.

Clicks may lag by a few seconds. Times are UTC; days of get_analytics are those of tz.`;
