import Type, { type TSchema } from 'typebox';
import { AccountOfKey } from '../accounts/account.ts';
import { Analytics } from '../analytics/analytics.ts';
import { AnalyticsQuery } from '../analytics/analytics-query.ts';
import { EventList, ListEventsQuery } from '../events/event.ts';
import { Job, JobId, JobResult } from '../jobs/job.ts';
import { JobArguments } from '../jobs/job-input.ts';
import { BULK_TOOL, BulkArguments, BulkToolResults } from '../links/bulk.ts';
import { HashtagList } from '../links/hashtag-list.ts';
import { CreateLinkInput, DeletedLink, Link, LinkId, UpdateLinkInput } from '../links/link.ts';
import { LinkList, ListLinksQuery } from '../links/link-list.ts';
import { QrQuery } from '../links/qr-code.ts';
import { FieldNames, ListedLink } from '../links/shown-fields.ts';
import { type JsonSchema, publishedInput, publishedOutput } from './published-schema.ts';

/** The effects of a tool (MCP `ToolAnnotations`). A client uses them to decide when to ask its user to confirm. */
export interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** A tool as `tools/list` returns it. */
export interface Tool {
  name: ToolName;
  title: string;
  description: string;
  inputSchema: JsonSchema;
  /** Missing if the result is an image: some clients show structured content in its place. */
  outputSchema?: JsonSchema;
  annotations: ToolAnnotations;
}

export const TOOL_NAMES = [
  'get_me',
  'list_links',
  'get_link',
  'create_link',
  'update_link',
  'delete_link',
  'get_analytics',
  BULK_TOOL,
  'get_qr_code',
  'edit_links',
  'get_job',
  'undo_job',
  'list_hashtags',
  'list_events',
] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

/** The text that tools append to REST's message for a missing link. */
export const LINK_ID_HINT = 'Find its id, slug or short URL with list_links.';

/** The arguments of a tool that has none. */
const NoArguments = Type.Object({}, { additionalProperties: false });

/** The arguments of `get_link`. */
const GetLinkArguments = Type.Object(
  { id: LinkId, fields: Type.Optional(FieldNames) },
  { additionalProperties: false },
);

/** The arguments of `delete_link`. */
export const DeleteLinkArguments = Type.Object({ id: LinkId }, { additionalProperties: false });

/** The arguments of `get_job` and `undo_job`. */
const GetJobArguments = Type.Object({ id: JobId }, { additionalProperties: false });

/** Fields that the tool does not list, because every model reads its list. It takes them, as `create_link` has them. */
export const UNLISTED_UPDATES = [
  ...(['social_title', 'social_description', 'social_image_url', 'managed_by', 'redirect_code'] as const),
];

/** The arguments of `update_link`: the body of `PUT /api/v1/links/{id}`, and the id from its path. */
const UpdateLinkArguments = Type.Object(
  { id: LinkId, ...Type.Omit(UpdateLinkInput, UNLISTED_UPDATES).properties },
  { additionalProperties: false },
);

/** The arguments of `get_qr_code`. */
const GetQrCodeArguments = Type.Object({ id: LinkId, size: QrQuery.properties.size }, { additionalProperties: false });

const READS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Every tool of the MCP server, in the order of docs/mcp.md. Each needs a handler of the same name. */
export const TOOLS: readonly Tool[] = [
  tool('get_me', NoArguments, AccountOfKey, READS, {
    title: 'Get account',
    description: 'Returns the account, its plan and which links this key may see.',
  }),
  tool('list_links', ListLinksQuery, LinkList, READS, {
    title: 'List links',
    description:
      'Lists or searches links by URL, title or topic. health=broken finds dead destinations, to mend with update_link. For clicks by day use get_analytics.',
  }),
  tool('get_link', GetLinkArguments, ListedLink, READS, {
    title: 'Get link',
    description: 'Exactly one link, or some of its fields. To search use list_links.',
  }),
  tool(
    'create_link',
    CreateLinkInput,
    Link,
    // Open world: auto_meta fetches the destination page.
    { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    {
      title: 'Create link',
      description:
        'Creates a short link; share its short_url. Each call makes another; list_links finds one that exists.',
    },
  ),
  tool(
    'update_link',
    UpdateLinkArguments,
    Link,
    { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    {
      title: 'Update link',
      description:
        'Changes the fields that are sent, any of create_link; old values are lost. "" empties a text or expires_at, [] hashtags.',
    },
  ),
  tool(
    'delete_link',
    DeleteLinkArguments,
    DeletedLink,
    { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    {
      title: 'Delete link',
      description: 'Deletes a link and its clicks for good. Only if the user asks for exactly that.',
    },
  ),
  tool('get_analytics', AnalyticsQuery, Analytics, READS, {
    title: 'Get analytics',
    description: 'Clicks by day, device and source, and top links. Totals of a link: get_link.',
  }),
  tool(
    BULK_TOOL,
    BulkArguments,
    BulkToolResults,
    { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    {
      title: 'Bulk edit',
      description: 'Creates, updates, deletes, upserts (by slug); link as in create_link. Check each result.',
    },
  ),
  tool('get_qr_code', GetQrCodeArguments, null, READS, {
    title: 'Get QR code',
    description: 'Returns the QR code of the short URL of a link as a PNG image.',
  }),
  tool(
    'edit_links',
    JobArguments,
    Job,
    { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    {
      title: 'Edit many',
      description:
        'Edits or deletes all links that filter finds. Count with dry_run first. get_job says how far it is.',
    },
  ),
  tool('get_job', GetJobArguments, JobResult, READS, {
    title: 'Get job',
    description: 'State and results of a job of edit_links: first refusals, and of a dry run five links.',
  }),
  tool(
    'undo_job',
    GetJobArguments,
    Job,
    { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    {
      title: 'Undo job',
      description: 'Undoes an edit of edit_links, once, until undo_until. A deletion stays.',
    },
  ),
  tool('list_hashtags', NoArguments, HashtagList, READS, {
    title: 'List hashtags',
    description: 'Lists hashtags with their links and clicks. Use it before tagging or filtering.',
  }),
  tool('list_events', ListEventsQuery, EventList, READS, {
    title: 'List events',
    description: 'Lists who changed what. Go on with next as after; desc is newest first.',
  }),
];

function tool(
  name: ToolName,
  input: TSchema,
  output: TSchema | null,
  annotations: ToolAnnotations,
  text: { title: string; description: string },
): Tool {
  return {
    name,
    ...text,
    inputSchema: publishedInput(input, name),
    ...(output !== null && { outputSchema: publishedOutput(output) }),
    annotations,
  };
}
