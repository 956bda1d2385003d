import { randomSecret } from './secret.ts';

const SESSION_FORM = /^sess_[0-9A-Za-z]{40}$/;
const SIGN_IN_FORM = /^signin_[0-9A-Za-z]{40}$/;

/** Returns the token of a new session. */
export function generateSessionToken(): string {
  return `sess_${randomSecret()}`;
}

/** Returns true if the text is formatted as the token of a session. Does no lookup. */
export function isSessionToken(text: string): boolean {
  return SESSION_FORM.test(text);
}

/** Returns the token of a new sign-in link, which is exchanged for a session once. */
export function generateSignInToken(): string {
  return `signin_${randomSecret()}`;
}

/** Returns true if the text is formatted as the token of a sign-in link. Does no lookup. */
export function isSignInToken(text: string): boolean {
  return SIGN_IN_FORM.test(text);
}
