import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { type PeopleFilter, peopleOnPage, peopleQuery } from '../../api/person-list-queries.js';
import { useListPage } from '../../components/list-page.js';
import { ListPager } from '../../components/Pager.js';

/** The orders of the service. An address may have one of another list. */
const orders = /^-?(name|email|role|team|manager|crmMemberId|payrollId|field .+)$/;

/** A page of the people of a list, in the order of the address. */
export function usePersonPages(filter: PeopleFilter, pageSize = peopleOnPage) {
  const { sort: order = '' } = useSearch({ strict: false }) as { readonly sort?: string };
  const sort = orders.test(order) ? order : 'name';
  const [page, onPage] = useListPage({ filter, sort });
  return { ...useQuery(peopleQuery({ ...filter, sort }, page, pageSize)), page, pageSize, onPage };
}

/** The way to the other pages; nothing if everyone is on one. */
export function PeoplePager({ list }: { readonly list: ReturnType<typeof usePersonPages> }) {
  const { data, page, pageSize, onPage } = list;
  return <ListPager page={page} pageSize={pageSize} count={data?.count ?? 0} onChange={onPage} />;
}
