import './styles/tokens.css';
import './styles/base.css';
import { startFirstReads } from './api/first-reads.ts';
import { takeTokenFromAddress } from './session/sign-in-token.ts';

// The smallest script that can ask for what the first view needs. The rest loads meanwhile.

// First of all, so that the token is neither in the address bar nor in the history when anything else runs.
if (!takeTokenFromAddress()) startFirstReads();
