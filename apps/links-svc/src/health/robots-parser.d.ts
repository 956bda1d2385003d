/** The package's own types describe a default export, but it has the function itself. */
declare module 'robots-parser' {
  export interface Robot {
    isDisallowed(url: string, userAgent: string): boolean | undefined;
  }
  export default function robotsParser(url: string, text: string): Robot;
}
