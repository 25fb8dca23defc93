import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { type Deal, type DealFilter } from '../../api/queries.js';

const pageSize = 500;

/** Every deal that the filter matches, page by page. */
export async function listAllDeals(
  filter: DealFilter,
  onProgress: (ratio: number) => void = () => undefined,
): Promise<readonly Deal[]> {
  const { limit: _, offset: __, totals: ___, ...matching } = filter;
  const deals: Deal[] = [];
  for (let isLast = false; !isLast; ) {
    const query = { ...matching, limit: String(pageSize), after: deals.at(-1)?.deal_id ?? '' };
    const page = await api.listDeals({ query });
    deals.push(...page.deals);
    isLast = page.deals.length < pageSize;
    onProgress(deals.length / Math.max(1, page.count));
  }
  return deals;
}

export const allDealsQuery = (filter: DealFilter) =>
  queryOptions({ queryKey: ['all-deals', filter], queryFn: () => listAllDeals(filter), gcTime: 0 });
