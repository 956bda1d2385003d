import './styles/tokens.css';
import './styles/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App, preloadView } from './app.tsx';
import { signInFromAddress } from './session/sign-in.ts';

// First of all, so that the token is neither in the address bar nor in the history when anything else runs.
signInFromAddress();
// A link that is pasted into the address bar of an open dashboard changes only the hash.
addEventListener('hashchange', signInFromAddress);

preloadView(location.pathname);

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
