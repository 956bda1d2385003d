import type { AutoMeta } from '@waymark/contract';
import { Words } from '../components/words.tsx';
import { linkForm } from '../texts/link-form.ts';
import { visibilityHints } from '../texts/links.ts';
import { minuteText, numberText } from '../texts/locale.ts';
import type { LinkFormValues } from './link-form-values.ts';
import { ruleText } from './rule-values.ts';

const { preview: texts } = linkForm;

interface LinkPreviewProps {
  values: LinkFormValues;
  /** What the destination page says about itself, if that is known. */
  page: AutoMeta | null | undefined;
}

/** What visitors and link previews get of the link as it is in the form. */
export function LinkPreview({ values, page }: LinkPreviewProps) {
  return (
    <>
      <h3>{texts.visitors}</h3>
      <Visitors values={values} />
      <h3>{texts.card}</h3>
      <Card values={values} page={page} />
    </>
  );
}

function Visitors({ values }: { values: LinkFormValues }) {
  const { visibility, rules, destination_url, expired_url, expires_at, max_clicks } = values;
  if (visibility === 'private') return <p>{visibilityHints.private}</p>;
  const destination = destination_url || texts.noDestination;
  const others = rules.length === 0 ? texts.everyone : texts.others;
  const ends = [
    ...(expires_at === '' ? [] : [texts.fromTime(minuteText(expires_at))]),
    ...(max_clicks === '' ? [] : [texts.afterClicks(numberText(Number(max_clicks)))]),
  ];
  const lines: [who: string, where: string][] = [
    ...rules.map((rule): [string, string] => [ruleText(rule), rule.to || texts.noDestination]),
    [others, destination],
    ...ends.map((when): [string, string] => [when, expired_url || texts.expiredPage]),
  ];
  return (
    <>
      {visibility === 'password-protected' && <p>{visibilityHints[visibility]}</p>}
      <ol className="preview-lines">
        {lines.map(([who, where], index) => (
          <li key={index}>
            <Words text={texts.goes(who, where)} verbatim={where.includes('/') ? where : ''} />
          </li>
        ))}
      </ol>
    </>
  );
}

function Card({ values, page }: LinkPreviewProps) {
  const { visibility, max_clicks, title, social_title, social_description, social_image_url } = values;
  const hasCard = [social_title, social_description, social_image_url].some((text) => text.trim() !== '');
  if (visibility !== 'private' && visibility !== 'password-protected' && hasCard)
    return <CardBox title={social_title || title} description={social_description} image={social_image_url} />;
  const text =
    visibility === 'private'
      ? texts.cardNone
      : visibility === 'password-protected'
        ? texts.cardPassword
        : max_clicks === ''
          ? texts.cardPage
          : texts.cardLimited;
  return (
    <>
      <p key={text}>{text}</p>
      {text === texts.cardPage && (page?.title || page?.description) && (
        <CardBox title={page.title ?? ''} description={page.description ?? ''} />
      )}
    </>
  );
}

function CardBox({ title, description, image = '' }: { title: string; description: string; image?: string }) {
  return (
    <div className="preview-card">
      <strong dir="auto">
        <Words text={title || texts.noTitle} />
      </strong>
      {description !== '' && (
        <p key={description} dir="auto">
          {description}
        </p>
      )}
      {image !== '' && (
        <p className="quiet">
          <Words text={texts.image(image)} verbatim={image} />
        </p>
      )}
    </div>
  );
}
