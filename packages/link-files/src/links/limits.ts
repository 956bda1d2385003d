import { RowError } from '../rows/row.ts';
import { normalizedName } from './fields.ts';
import { timeOf } from './times.ts';
import { booleanOf, isBlank, isNo, shown } from './values.ts';

/** @throws {RowError} if the value limits the link in a way that an import cannot keep. */
type Check = (value: unknown, column: string) => void;

/**
 * The columns that limit who can open a link, or until when, or that redirect some visitors elsewhere, as
 * {@link normalizedName} returns them. Without their check, an import would open the link to more people than before.
 */
const CHECKS: readonly { names: readonly string[]; check: Check }[] = [
  {
    names: [
      'banned',
      'isbanned',
      'blacklisted',
      'isblacklisted',
      'blocked',
      'isblocked',
      'closed',
      'isclosed',
      'deleted',
      'isdeleted',
      'deletedat',
      'disabled',
      'isdisabled',
      'disabledat',
      'draft',
      'isdraft',
      'hidden',
      'ishidden',
      'inactive',
      'isinactive',
      'paused',
      'ispaused',
      'suspended',
      'issuspended',
      'expired',
      'isexpired',
      'private',
      'isprivate',
      'revoked',
      'isrevoked',
      'trashed',
      'istrashed',
    ],
    check: (value, column) => {
      if (!isNo(value)) throw isClosed(column);
    },
  },
  {
    names: [
      'enabled',
      'isenabled',
      'active',
      'isactive',
      'public',
      'ispublic',
      'published',
      'ispublished',
      'visible',
      'isvisible',
    ],
    check: (value, column) => {
      if (!isBlank(value) && booleanOf(value) !== true) throw isClosed(column);
    },
  },
  {
    names: ['status', 'state'],
    check: (value, column) => {
      if (isBlank(value) || booleanOf(value) === true || OPEN_STATE.test(String(value).trim())) return;
      throw new RowError(
        `The link may be closed: its ${shown(column)} is ${shown(String(value))}; remove the row, or ${shown(column)} to open it.`,
      );
    },
  },
  {
    names: [
      'password',
      'haspassword',
      'passwordhash',
      'passwordprotected',
      'ispasswordprotected',
      'protected',
      'isprotected',
      'secret',
      'secretkey',
    ],
    check: (value, column) => {
      if (!isNo(value))
        throw new RowError(
          `The link has a password (column ${shown(column)}), which cannot be imported; create the link by hand.`,
        );
    },
  },
  {
    names: [
      'maxvisits',
      'maxclicks',
      'maxviews',
      'maxuses',
      'clicklimit',
      'clickslimit',
      'visitlimit',
      'visitslimit',
      'usagelimit',
      'expireafterclicks',
      'expireafterviews',
      'expireafterfirst',
      'remainingclicks',
    ],
    check: (value, column) => {
      if (!isNo(value))
        throw new RowError(
          `The link ends after ${shown(String(value))} visits, which cannot be kept; remove ${shown(column)} to import it.`,
        );
    },
  },
  {
    names: ['validsince', 'validfrom', 'startsat', 'startat', 'startdate', 'activefrom', 'activeat', 'publishat'],
    check: (value, column) => {
      const start = timeOf('start', value, column);
      if (start !== null && start.getTime() > Date.now())
        throw new RowError(
          `The link begins on ${start.toISOString()}, which cannot be kept; import it then, or remove ${shown(column)}.`,
        );
    },
  },
  {
    names: [
      'android',
      'androidurl',
      'apple',
      'desktop',
      'desktopurl',
      'devicelongurls',
      'devicetargeting',
      'geo',
      'geotargeting',
      'google',
      'hasredirectrules',
      'ios',
      'iosurl',
      'iphoneurl',
      'redirectrules',
      'spliturl',
      'targeting',
      'testvariants',
    ],
    check: (value, column) => {
      if (!isNo(value))
        throw new RowError(
          `The link has another destination for some visitors, which cannot be kept; remove ${shown(column)} to import it.`,
        );
    },
  },
];

/** What services call a link that is open, and the statuses of its redirects. Others may mean that it is closed. */
const OPEN_STATE = /^(?:active|available|enabled|live|ok|online|open|public|published|[23]\d\d)$/i;

function isClosed(column: string): RowError {
  return new RowError(
    `The link is closed, which an import does not keep; remove the row, or ${shown(column)} to open it.`,
  );
}

const CHECK_OF_NAME = new Map(CHECKS.flatMap(({ names, check }) => names.map((name) => [name, check] as const)));

/** Returns the check of a column that limits links, or undefined. */
export function limitOfColumn(name: string): Check | undefined {
  return CHECK_OF_NAME.get(normalizedName(name));
}
