import { useState } from 'preact/hooks';
import './pictogram.css';

/** The folder of the flags, which the build fills in. */
declare const FLAGS_URL: string;

/** The flag of a country beside its name. What has no flag leaves its place empty. */
export function CountryFlag({ code }: { code: string }) {
  const [missing, setMissing] = useState(!/^[A-Z]{2}$/.test(code));
  if (missing) return <span className="flag" />;
  return <img className="flag" src={flagUrl(code)} alt="" loading="lazy" onError={() => setMissing(true)} />;
}

/** A picture of a device, browser or system beside its name. It has the colour of the text. */
export function Pictogram({ of }: { of: string }) {
  return <span className={`pictogram is-${of.toLowerCase().replace(/\W/g, '-')}`} />;
}

/** Files are named by the codes of the letters, because content blockers have rules about names such as `ad`. */
function flagUrl(code: string): string {
  return `${FLAGS_URL}/${code.charCodeAt(0).toString(16)}${code.charCodeAt(1).toString(16)}.svg`;
}
