interface PagedInput {
  readonly query?: Readonly<Record<string, unknown>>;
}

interface Paged {
  readonly nextCursor?: string;
  readonly more?: boolean;
  readonly count?: number;
  readonly offset?: number;
  readonly limit?: number;
  readonly deals?: readonly { readonly deal_id: string }[];
}

/**
 * The pages of a list, one call each: `for await (const { deals } of pages(client.listDealChanges, { query }))`. Feeds are
 * read by their cursor until nothing is left, `client.listDeals` in the order of ids unless the query has an offset, and
 * other lists by offset.
 */
export async function* pages<Input extends PagedInput, Page>(
  list: (input: Input) => Promise<Page>,
  input: Input = {} as Input,
): AsyncGenerator<Page, void, undefined> {
  for (let query = { ...firstOf(list.name, input.query), ...input.query }; ; ) {
    const page = await list({ ...input, query });
    yield page;
    const next = toNext(page as Paged, 'after' in query);
    if (next === null) return;
    query = { ...query, ...next };
  }
}

/** Deals are listed by their latest change, so a change between two pages by offset would hide a deal. */
function firstOf(name: string, query: PagedInput['query'] = {}): Readonly<Record<string, unknown>> {
  return name === 'listDeals' && query['offset'] === undefined ? { after: '' } : {};
}

function toNext(page: Paged, isById: boolean): Readonly<Record<string, string>> | null {
  const { nextCursor, more, count, offset, limit, deals = [] } = page;
  if (nextCursor !== undefined) return more === true ? { cursor: nextCursor } : null;
  if (count === undefined || offset === undefined || limit === undefined || limit === 0) return null;
  if (isById) return deals.length < limit ? null : { after: deals.at(-1)?.deal_id ?? '' };
  return offset + limit < count ? { offset: String(offset + limit) } : null;
}
