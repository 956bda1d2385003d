// What the gateway writes into the page about its installation.

/** The public URL of the service, with which short URLs begin. */
export const PUBLIC_URL = factOf('public-url');

/** The public address of the API, MCP and the dashboard. This browser may have opened the page under another name. */
export const API_URL = factOf('api-url');

/** The command line that makes a sign-in link, up to the user name. Empty if the operator names none. */
export const SIGN_IN_COMMAND = factOf('sign-in-command');

/** The host of the OpenID provider. Empty without a provider. */
export const SIGN_IN_PROVIDER = factOf('sign-in-provider');

/** The operator's name, or Waymark. */
export const BRAND_NAME = factOf('brand-name');

/** Whether the operator has a logo. */
export const HAS_LOGO = factOf('brand-logo') !== '';

/** The operator's logo, or Waymark's mark. */
export const LOGO = '/favicon.ico';

function factOf(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)!.content;
}
