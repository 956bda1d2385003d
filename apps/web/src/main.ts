import './styles/tokens.css';
import './styles/base.css';
import { readEarly } from './api/early-reads.ts';
import { listInAddress, listQuery } from './links/link-query.ts';
import { takeTokenFromAddress } from './session/sign-in-token.ts';

// The smallest script that can ask for what the first view needs. The rest loads meanwhile.

// First of all, so that the token is neither in the address bar nor in the history when anything else runs.
if (!takeTokenFromAddress()) readFirstView();

/** Asks for the account, and for the links if they are the view. */
function readFirstView(): void {
  readEarly('GET /api/v1/me', {});
  const list = listInAddress(location);
  if (list !== null) readEarly('GET /api/v1/links', listQuery(list));
}
