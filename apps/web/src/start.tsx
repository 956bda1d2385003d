import './main.ts';
import { render } from 'preact';
import { App } from './app.tsx';
import { signInFromAddress } from './session/sign-in.ts';

signInFromAddress();
// A link that is pasted into the address bar of an open dashboard changes only the hash.
addEventListener('hashchange', signInFromAddress);

render(<App />, document.getElementById('root')!);
