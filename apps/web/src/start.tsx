import './main.ts';
import { render } from 'preact';
import { App, queryClient } from './app.tsx';
import { loadFirstView } from './first-view.ts';
import { signInFromAddress } from './session/sign-in.ts';

signInFromAddress();
// A link that is pasted into the address bar of an open dashboard changes only the hash.
addEventListener('hashchange', signInFromAddress);

// Data that has arrived already is shown at once. Without it, the frame is.
const nextFrame = new Promise((resolve) => requestAnimationFrame(resolve));
void Promise.race([loadFirstView(queryClient), nextFrame]).then(() =>
  render(<App />, document.getElementById('root')!),
);
