declare module 'html-encoding-sniffer' {
  /** Returns the name of the encoding of an HTML page, as the HTML standard finds it, else `defaultEncoding`. */
  function sniffEncoding(
    bytes: Uint8Array,
    options: { transportLayerEncodingLabel?: string; defaultEncoding: string; maxPrescanBytes?: number },
  ): string;
  export = sniffEncoding;
}
