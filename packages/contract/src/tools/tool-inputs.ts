import Type from 'typebox';
import { AnalyticsQuery } from '../analytics/analytics-query.ts';
import { ListEventsQuery } from '../events/event.ts';
import { JobInput, jobCheck } from '../jobs/job-input.ts';
import { BulkInput, type OperationChecks } from '../links/bulk.ts';
import { CreateLinkInput, UpdateLinkInput } from '../links/link.ts';
import { ListLinksQuery } from '../links/link-list.ts';
import { QrQuery } from '../links/qr-code.ts';
import { UpsertLinkInput } from '../links/upsert.ts';
import { isRecord } from '../validate.ts';
import { toolValidator, withoutJsonText } from './tool-arguments.ts';

// No length limit: an impossible id is simply not found, as in a path.
const id = Type.String();
const ID = '019a4f0e8f2c7d31a4b6';
const LINK = { destination_url: 'https://example.com/' };
const CHANGE = { title: 'New title' };

/** Arguments that each tool accepts, for the message about missing or unknown ones. */
export const TOOL_EXAMPLES = {
  list_links: { q: 'summer', per: 25 },
  get_link: { id: ID },
  create_link: LINK,
  update_link: { id: ID, ...CHANGE },
  delete_link: { id: ID },
  get_analytics: { link_id: ID, days: 30 },
  bulk_edit_links: {
    operations: [
      { op: 'create', link: LINK },
      { op: 'update', id: ID, link: CHANGE },
      { op: 'upsert', link: { slug: 'sale', ...LINK } },
      { op: 'delete', id: ID },
    ],
  },
  get_qr_code: { id: ID, size: 512 },
  edit_links: { kind: 'edit', filter: { hashtag: 'old' }, change: { add_hashtags: ['new'] } },
  get_job: { id: '01jd3x8k9m2n4p6q' },
  undo_job: { id: '01jd3x8k9m2n4p6q' },
  list_events: { types: 'link.created,link.deleted', limit: 25 },
};

/** The checks of the arguments of the tools that have some. */
export const TOOL_INPUTS = {
  list_links: toolValidator(ListLinksQuery, TOOL_EXAMPLES.list_links),
  get_link: toolValidator(
    Type.Object({ id, fields: ListLinksQuery.properties.fields }, { additionalProperties: false }),
    TOOL_EXAMPLES.get_link,
  ),
  create_link: toolValidator(CreateLinkInput, TOOL_EXAMPLES.create_link),
  update_link: toolValidator(
    Type.Object({ id, ...UpdateLinkInput.properties }, { additionalProperties: false }),
    TOOL_EXAMPLES.update_link,
  ),
  delete_link: toolValidator(Type.Object({ id }, { additionalProperties: false }), TOOL_EXAMPLES.delete_link),
  get_analytics: toolValidator(AnalyticsQuery, TOOL_EXAMPLES.get_analytics),
  bulk_edit_links: bulkCheck(toolValidator(BulkInput, TOOL_EXAMPLES.bulk_edit_links)),
  get_qr_code: toolValidator(
    Type.Object({ id, size: QrQuery.properties.size }, { additionalProperties: false }),
    TOOL_EXAMPLES.get_qr_code,
  ),
  edit_links: jobCheck(toolValidator(JobInput, TOOL_EXAMPLES.edit_links)),
  get_job: toolValidator(Type.Object({ id }, { additionalProperties: false }), TOOL_EXAMPLES.get_job),
  list_events: toolValidator(
    Type.Object({ ...ListEventsQuery.properties, link_id: Type.Optional(id) }, { additionalProperties: false }),
    TOOL_EXAMPLES.list_events,
  ),
  undo_job: toolValidator(Type.Object({ id }, { additionalProperties: false }), TOOL_EXAMPLES.undo_job),
};

/** The checks of the links of operations in `bulk_edit_links`. */
export const TOOL_CHECKS: OperationChecks = {
  create: TOOL_INPUTS.create_link,
  // Strict clients send every field that the tool's schema lists, `auto_meta` too.
  update: toolValidator(UpdateLinkInput, CHANGE, CreateLinkInput),
  upsert: toolValidator(UpsertLinkInput, { slug: 'sale', ...LINK }),
};

/** Returns the check of a bulk edit that also understands an operation, or its link, as a JSON text. */
function bulkCheck(check: (args: object) => BulkInput): (args: object) => BulkInput {
  const withoutTexts = (sent: unknown) => {
    const operation = withoutJsonText(sent);
    return isRecord(operation) && 'link' in operation
      ? { ...operation, link: withoutJsonText(operation.link) }
      : operation;
  };
  return (args) => {
    const input = check(args);
    return { ...input, operations: input.operations.map(withoutTexts) };
  };
}
