import type { PageContent } from '@waymark/service-kit';
import type { PageTexts } from './languages/page-texts.ts';

/** The page that asks for a link's password. It is the same for every link and reveals nothing about it. */
export function passwordPage({ password }: PageTexts): PageContent {
  return content(password, null);
}

/** The same page after a wrong password. */
export function wrongPasswordPage({ password }: PageTexts): PageContent {
  return content(password, password.wrong);
}

/** The same page after too many wrong passwords. */
export function tooManyTriesPage({ password }: PageTexts): PageContent {
  return content(password, password.tooMany);
}

function content(texts: PageTexts['password'], error: string | null): PageContent {
  const state = error === null ? '' : ' aria-invalid="true" aria-describedby="error"';
  // A form without an action is sent to the URL of the page, including its query parameters.
  return {
    title: error === null ? texts.title : texts.errorTitle,
    body: `<h1>${texts.title}</h1>
<p>${texts.text}</p>
<form method="post">
<label for="password">${texts.label}</label>
<input id="password" name="password" type="password" required maxlength="128" autocomplete="current-password" autofocus${state}>
${error === null ? '' : `<p id="error" role="alert">${error}</p>\n`}<button type="submit">${texts.button}</button>
</form>`,
  };
}
