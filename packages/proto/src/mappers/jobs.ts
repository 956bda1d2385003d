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

const JOB = jsonFields<Omit<Job, 'notice'> & { notice: string | null }, JobMessage>(JobSchema, namesOf(Job));
const NULLABLE = nullableNamesOf(Job).add('notice');

/** Converts a job of the JSON API to a message. */
export function jobToMessage(job: Job): JobMessage {
  return setFields(create(JobSchema), JOB, job);
}

/**
 * Converts a message back to a job (inverse of {@link jobToMessage}).
 * @throws {AppError} `internal` if the message, or a field that is never null, is missing.
 */
export function jobFromMessage(message: JobMessage | undefined): Job {
  const { notice, ...job } = jsonFromMessage(message, JOB, NULLABLE, 'the job') as Job;
  // JSON has no notice if there is nothing to say.
  return { ...job, ...(notice !== null && { notice }) } as Job;
}

/** Converts a validated input to a message. */
export function startJobRequest({ kind, filter: { all, ...filter }, change, dry_run }: JobInput): StartJobRequest {
  return create(StartJobRequestSchema, {
    kind,
    filter: listLinksRequest(filter),
    ...(all !== undefined && { all }),
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
export function jobInput({ kind, filter, all, change, dryRun }: StartJobRequest): unknown {
  return {
    kind,
    filter: {
      ...(filter !== undefined && (listLinksQuery(filter) as object)),
      ...(all !== undefined && { all }),
    },
    ...(change !== undefined && { change: changeFromMessage(change) }),
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
