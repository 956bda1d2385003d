import { derivedFields, type LinkDocument, NEVER_CLICKED } from '../../src/links/link.ts';
import { OPTIONAL_FIELD_DEFAULTS } from '../../src/links/link-fields.ts';

/** Returns the document of a new link with nothing but a slug and a destination. */
export function linkDocument(accountId: string, id: string, slug: string): LinkDocument {
  const fields = { ...OPTIONAL_FIELD_DEFAULTS, slug, destination_url: 'https://example.com/', password_hash: null };
  const now = new Date();
  return {
    _id: id,
    account_id: accountId,
    ...fields,
    ...derivedFields(fields),
    clicks: 0,
    last_clicked_at: NEVER_CLICKED,
    created_at: now,
    updated_at: now,
    revision: 0,
  };
}
