import './styles/tokens.css';
import './styles/base.css';
import { startFirstReads } from './api/first-reads.ts';
import { signInFromAddress } from './session/sign-in.ts';

// The smallest script that can ask for what the first view needs. The rest loads meanwhile.

// First of all, so that the token is neither in the address bar nor in the history when anything else runs.
signInFromAddress();
// A link that is pasted into the address bar of an open dashboard changes only the hash.
addEventListener('hashchange', signInFromAddress);

startFirstReads();
