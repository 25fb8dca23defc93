import { expect } from 'chai';
import { type InjectionToken } from 'tsyringe';
import { PartContainer } from '#src/platform/part-container.js';

class Store {}

class Reader {
  constructor(
    readonly store: Store,
    readonly limit: number,
  ) {}
}

const LIMIT: InjectionToken<number> = Symbol('limit');

describe('the container of the parts', () => {
  it('makes a part when it is first used, and once', () => {
    let made = 0;
    const parts = new PartContainer().provide(LIMIT, () => {
      made += 1;
      return 5;
    });
    expect(made).to.equal(0);
    expect([parts.resolve(LIMIT), parts.resolve(LIMIT), made]).to.deep.equal([5, 5, 1]);
  });

  it('gives a class the parts that its constructor takes', () => {
    const parts = new PartContainer()
      .provideClass(Reader, [Store, LIMIT])
      .provideClass(Store, [])
      .provide(LIMIT, () => 5);
    const reader = parts.resolve(Reader);
    expect(reader.store).to.equal(parts.resolve(Store));
    expect(reader.limit).to.equal(5);
  });

  it('has parts of its own beside another container', () => {
    const [one, other] = [new PartContainer().provideClass(Store, []), new PartContainer().provideClass(Store, [])];
    expect(one.resolve(Store)).to.not.equal(other.resolve(Store));
  });

  it('names a part that is not registered, also a class that it could construct', () => {
    expect(() => new PartContainer().resolve(Store)).to.throw('no part is registered for Store');
    expect(() => new PartContainer().resolve(LIMIT)).to.throw('no part is registered for Symbol(limit)');
  });

  it('closes what was made, each part before those that it uses, and once', async () => {
    const closed: string[] = [];
    const closing = (name: string) => async () => void closed.push(name);
    const parts = new PartContainer()
      .provideClass(Reader, [Store, LIMIT], closing('reader'))
      .provideClass(Store, [], closing('store'))
      .provide(LIMIT, () => 5)
      .provide(Symbol('unused'), () => 1, closing('unused'));
    parts.resolve(Reader);
    await parts.close();
    await parts.close();
    expect(closed).to.deep.equal(['reader', 'store']);
  });
});
