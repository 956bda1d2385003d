/** The texts of the pages for visitors in one language. */
export interface PageTexts {
  /** The language, for `lang` and `Content-Language` (BCP 47). */
  language: string;
  notFound: { title: string; text: string };
  expired: { title: string; text: string };
  password: {
    title: string;
    /** The title of the window after a password that was not accepted. */
    errorTitle: string;
    text: string;
    label: string;
    wrong: string;
    tooMany: string;
    button: string;
  };
  link: {
    /** In place of a title. */
    title: string;
    leadsTo: string;
    /** In place of the destination. */
    unknown: string;
    button: string;
  };
}
