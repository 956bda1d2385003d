import { type Brand, type PageContent, type PageTemplate, pageTemplate } from '@waymark/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { VerifiedHost } from '../hosts/verified-hosts.ts';
import type { Brands } from './brands.ts';
import type { PageTexts } from './languages/page-texts.ts';
import { pageTextsFor } from './page-language.ts';

/** Sends pages for visitors with the brand of the host that they asked for, in their language. */
export class VisitorPages {
  readonly #brands: Brands;
  readonly #templates = new WeakMap<Brand, PageTemplate>();

  constructor(brands: Brands) {
    this.#brands = brands;
  }

  /** Sends a page. `Vary` must have `Accept-Language`, and whatever else decided that a page is sent. */
  send(
    { headers }: FastifyRequest,
    reply: FastifyReply,
    host: VerifiedHost | null,
    content: (texts: PageTexts) => PageContent,
  ): FastifyReply {
    const texts = pageTextsFor(headers['accept-language']);
    const template = this.#templateOf(this.#brands.of(host?.name ?? null));
    return reply
      .headers({ ...template.headers, 'content-language': texts.language, 'cache-control': 'no-store' })
      .send(template.render({ ...content(texts), language: texts.language }));
  }

  #templateOf(brand: Brand): PageTemplate {
    const template = this.#templates.get(brand) ?? pageTemplate(brand);
    this.#templates.set(brand, template);
    return template;
  }
}
