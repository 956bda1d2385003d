import { page } from '@waymark/service-kit';

/** The page that asks for a link's password. It is the same for every link and reveals nothing about it. */
export const PASSWORD_PAGE = passwordPage(null);
/** The same page after a wrong password. */
export const WRONG_PASSWORD_PAGE = passwordPage('That password is not right. Check it and try again.');
/** The same page after too many wrong passwords. */
export const TOO_MANY_TRIES_PAGE = passwordPage('Too many wrong passwords. Wait a minute, then try again.');

function passwordPage(error: string | null): string {
  const state = error === null ? '' : ' aria-invalid="true" aria-describedby="error"';
  // A form without an action is sent to the URL of the page, including its query parameters.
  return page(
    error === null ? 'Password needed' : 'Error: password needed',
    `<h1>Password needed</h1>
<p>This link is protected. Enter its password to continue.</p>
<form method="post">
<label for="password">Password</label>
<input id="password" name="password" type="password" required maxlength="128" autocomplete="current-password" autofocus${state}>
${error === null ? '' : `<p id="error" role="alert">${error}</p>\n`}<button type="submit">Continue</button>
</form>`,
  );
}
