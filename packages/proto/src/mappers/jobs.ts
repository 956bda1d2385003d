import { create } from '@bufbuild/protobuf';
import { Job, type JobChange, type JobInput } from '@waymark/contract';
import {
  type Job as JobMessage,
  JobSchema,
  type StartJobRequest,
  StartJobRequestSchema,
} from '../gen/jobs/v1/jobs_pb.ts';
import { jsonFields, jsonFromMessage, namesOf, nullableNamesOf, setFields } from './json-fields.ts';
import { listLinksQuery, listLinksRequest, updateLinkInput, updateLinkRequest } from './links.ts';

/** The fields that JSON lacks if there is nothing to say. */
const OPTIONAL = ['format', 'encoding', 'notice'] as const;
type JobFields = Omit<Job, (typeof OPTIONAL)[number]> & Record<(typeof OPTIONAL)[number], string | null>;

const JOB = jsonFields<Required<JobFields>, JobMessage>(JobSchema, namesOf(Job));
const NULLABLE = new Set([...nullableNamesOf(Job), ...OPTIONAL]);

/** Converts a job of the JSON API to a message. */
export function jobToMessage(job: Job): JobMessage {
  return setFields(create(JobSchema), JOB, job);
}

/**
 * Converts a message back to a job (inverse of {@link jobToMessage}).
 * @throws {AppError} `internal` if the message, or a field that is never null, is missing.
 */
export function jobFromMessage(message: JobMessage | undefined): Job {
  const { format, encoding, unused_columns, notice, ...job } = jsonFromMessage(
    message,
    JOB,
    NULLABLE,
    'the job',
  ) as Required<JobFields>;
  return {
    ...job,
    ...(format !== null && { format }),
    ...(encoding !== null && { encoding, unused_columns }),
    ...(notice !== null && { notice }),
  };
}

/** Converts a validated input to a message. */
export function startJobRequest({ kind, filter, change, matched_max, dry_run }: JobInput): StartJobRequest {
  const { all, ids, ...filters } = filter;
  return create(StartJobRequestSchema, {
    kind,
    filter: listLinksRequest(filters),
    ...(all !== undefined && { all }),
    ids: ids ?? [],
    ...(matched_max !== undefined && { matchedMax: matched_max }),
    ...(change !== undefined && { change: changeToMessage(change) }),
    dryRun: dry_run,
  });
}

function changeToMessage({ replace_hashtag, remove_hashtags, add_hashtags, replace_host, ...fields }: JobChange) {
  return {
    fields: updateLinkRequest('', fields),
    ...(replace_hashtag !== undefined && { replaceHashtag: replace_hashtag }),
    removeHashtags: remove_hashtags ?? [],
    addHashtags: add_hashtags ?? [],
    ...(replace_host !== undefined && { replaceHost: replace_host }),
  };
}

/** Converts a message back to the unvalidated JSON body (inverse of {@link startJobRequest}). */
export function jobInput({ kind, filter, all, ids, change, matchedMax, dryRun }: StartJobRequest): unknown {
  return {
    kind,
    filter: {
      ...(filter !== undefined && (listLinksQuery(filter) as object)),
      ...(all !== undefined && { all }),
      ...(ids.length > 0 && { ids }),
    },
    ...(change !== undefined && { change: changeFromMessage(change) }),
    ...(matchedMax !== undefined && { matched_max: matchedMax }),
    dry_run: dryRun,
  };
}

function changeFromMessage(change: NonNullable<StartJobRequest['change']>): object {
  const { fields, replaceHashtag, removeHashtags, addHashtags, replaceHost } = change;
  const replacement = ({ from, to }: { from: string; to: string }) => ({ from, to });
  return {
    ...(fields !== undefined && (updateLinkInput(fields) as object)),
    ...(replaceHashtag !== undefined && { replace_hashtag: replacement(replaceHashtag) }),
    ...(removeHashtags.length > 0 && { remove_hashtags: removeHashtags }),
    ...(addHashtags.length > 0 && { add_hashtags: addHashtags }),
    ...(replaceHost !== undefined && { replace_host: replacement(replaceHost) }),
  };
}
