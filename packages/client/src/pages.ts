interface PagedInput {
  readonly query?: Readonly<Record<string, unknown>>;
}

interface Paged {
  readonly nextCursor?: string;
  readonly more?: boolean;
  readonly count?: number;
  readonly offset?: number;
  readonly limit?: number;
}

/**
 * The pages of a list, one call each: `for await (const { deals } of pages(client.listDealChanges, { query }))`. Feeds are
 * read by their cursor until nothing is left, other lists by offset.
 */
export async function* pages<Input extends PagedInput, Page>(
  list: (input: Input) => Promise<Page>,
  input: Input = {} as Input,
): AsyncGenerator<Page, void, undefined> {
  for (let query = { ...input.query }; ; ) {
    const page = await list({ ...input, query });
    yield page;
    const next = toNext(page as Paged);
    if (next === null) return;
    query = { ...query, ...next };
  }
}

function toNext({ nextCursor, more, count, offset, limit }: Paged): Readonly<Record<string, string>> | null {
  if (nextCursor !== undefined) return more === true ? { cursor: nextCursor } : null;
  if (count === undefined || offset === undefined || limit === undefined || limit === 0) return null;
  return offset + limit < count ? { offset: String(offset + limit) } : null;
}
