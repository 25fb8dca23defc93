/** Every row of a list, page by page. The first page that is not full is the last one. */
export async function loadAllPages<Row>(
  pageSize: number,
  loadPage: (page: { readonly limit: string; readonly offset: string }) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const all: Row[] = [];
  for (let isLast = false; !isLast; ) {
    const page = await loadPage({ limit: String(pageSize), offset: String(all.length) });
    all.push(...page);
    isLast = page.length < pageSize;
  }
  return all;
}
