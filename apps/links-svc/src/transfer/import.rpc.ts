import { type Caller, requireService } from '@waymark/auth';
import { checkImportQuery, IMPORT_MAX_BYTES, ImportQuery, validator } from '@waymark/contract';
import { encodingOf } from '@waymark/link-files';
import { type Implementation, type jobsV1, jobToMessage } from '@waymark/proto';
import { limitedPieces } from '@waymark/service-kit';
import type { AccountsService } from '../accounts/accounts.service.ts';
import type { ImportsService } from '../imports/imports.service.ts';
import type { JobsService } from '../jobs/jobs.service.ts';
import { adminIdentity } from './admin-identity.ts';

type ImportMethods = Pick<
  Implementation<typeof jobsV1.JobsService, Caller>,
  'importLinks' | 'getAccountJob' | 'getRefusedRows'
>;

export interface ImportRpcDeps {
  imports: Pick<ImportsService, 'start'>;
  jobs: Pick<JobsService, 'get' | 'refused'>;
  accounts: Pick<AccountsService, 'get'>;
}

const checkQuery = validator(ImportQuery);

/** Implements the methods that begin an import and watch it, for the command line only. */
export function importRpc({ imports, jobs, accounts }: ImportRpcDeps): ImportMethods {
  return {
    importLinks: async (requests, { caller }) => {
      requireService(caller.identity, 'admin');
      const { value: first } = await requests[Symbol.asyncIterator]().next();
      const { username = '', format = '', name = '', host, charset } = first ?? {};
      const sent = {
        ...(format !== '' && { format }),
        ...(name !== '' && { name }),
        ...(host !== undefined && { host }),
      };
      const { dry_run: _, ...options } = checkImportQuery(checkQuery(sent));
      const declared = charset === undefined ? undefined : encodingOf(charset);
      const contentType = declared && `application/octet-stream; charset=${declared}`;
      const identity = await adminIdentity(accounts, username);
      const bytes = limitedPieces(piecesOf(requests), IMPORT_MAX_BYTES);
      const { job, encoding, unusedColumns } = await imports.start(identity, bytes, { ...options, contentType });
      const guessedEncoding = encoding === 'utf-8' || encoding === declared ? '' : encoding;
      return { job: jobToMessage(job), guessedEncoding, unusedColumns: [...unusedColumns] };
    },
    getAccountJob: async ({ username, id }, { caller }) => {
      requireService(caller.identity, 'admin');
      return { job: jobToMessage(await jobs.get(await adminIdentity(accounts, username), id)) };
    },
    getRefusedRows: async function* ({ username, id }, { caller }) {
      requireService(caller.identity, 'admin');
      const { rows } = await jobs.refused(await adminIdentity(accounts, username), id);
      for await (const refused of rows)
        yield { rows: refused.map(({ id: row, reason }) => ({ row: Number(row), reason })) };
    },
  };
}

async function* piecesOf(requests: AsyncIterable<jobsV1.ImportLinksRequest>): AsyncGenerator<Uint8Array> {
  for await (const { piece } of requests) yield piece;
}
