/**
 * The public URL of the service, with which short URLs begin. The gateway writes it into the page: this browser may have
 * opened the page under another name.
 */
export const PUBLIC_URL = document.querySelector<HTMLMetaElement>('meta[name=public-url]')!.content;
