import type { Host } from '@waymark/contract';
import { CopyText } from '../components/copy-text.tsx';
import { Words } from '../components/words.tsx';
import { PUBLIC_URL } from '../page-facts.ts';
import { hosts } from '../texts/hosts.ts';

const { record: texts } = hosts;
const TARGET = new URL(PUBLIC_URL).hostname;

/** The DNS records that a host needs, ready to copy. They are open until it is verified. */
export function DnsRecords({ host }: { host: Host }) {
  const copy = (what: 'name' | 'value') => (
    <CopyText text={host.txt[what]} label={texts.copy(what, host.host)} copied={texts.copied[what]} />
  );
  return (
    <details className="host-records" open={host.status !== 'verified'}>
      <summary>{texts.title}</summary>
      <ol>
        <li>
          <Words text={texts.cname(TARGET)} verbatim={TARGET} />
        </li>
        <li>
          {texts.txt}
          <dl>
            <dt>{texts.name}</dt>
            <dd>{copy('name')}</dd>
            <dt>{texts.value}</dt>
            <dd>{copy('value')}</dd>
          </dl>
        </li>
      </ol>
    </details>
  );
}
