import type { Host } from '@waymark/contract';
import { CopyText } from '../components/copy-text.tsx';
import { Words } from '../components/words.tsx';
import { PUBLIC_URL } from '../page-facts.ts';
import { hosts } from '../texts/hosts.ts';
import { canBeAlias, domainOf } from './dns-names.ts';
import { readableHost } from './host-name.ts';

const { record: texts } = hosts;
const TARGET = new URL(PUBLIC_URL).hostname;

/** The DNS records that a host needs, ready to copy. They are open until it is verified. */
export function DnsRecords({ host: { host, status, txt } }: { host: Host }) {
  const domain = domainOf(host);
  const copy = (what: Parameters<typeof texts.copied>[0], text: string) => (
    <CopyText text={text} label={texts.copy(what, readableHost(host))} copied={texts.copied(what)} />
  );
  return (
    <details className="host-records" open={status !== 'verified'}>
      <summary>{texts.title}</summary>
      <ol>
        <li>
          {canBeAlias(host, TARGET) ? (
            <>
              {texts.cname}
              <dl>
                <dt>{texts.value}</dt>
                <dd>{copy('cname', TARGET)}</dd>
              </dl>
            </>
          ) : (
            texts.addresses
          )}
        </li>
        <li>
          {texts.txt}
          <dl>
            <dt>{texts.name}</dt>
            <dd>{copy('name', txt.name)}</dd>
            <dt>
              <Words text={texts.shortName(domain)} verbatim={domain} />
            </dt>
            <dd>{copy('shortName', txt.name.slice(0, -domain.length - 1))}</dd>
            <dt>{texts.value}</dt>
            <dd>{copy('value', txt.value)}</dd>
          </dl>
        </li>
      </ol>
    </details>
  );
}
