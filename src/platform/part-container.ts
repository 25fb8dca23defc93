import 'reflect-metadata';
import { container, type InjectionToken, instancePerContainerCachingFactory } from 'tsyringe';

/** The parts of a running service. Each is made when it is first used, and closed before the parts that it uses. */
export class PartContainer {
  private readonly parts = container.createChildContainer();
  private readonly closers: (() => Promise<void>)[] = [];

  /** Registers how a part is made, once for this container, and how it is closed if it was made. */
  provide<Part>(
    token: InjectionToken<Part>,
    make: (parts: PartContainer) => Part,
    close?: (part: Part) => Promise<void>,
  ): this {
    const useFactory = instancePerContainerCachingFactory(() => {
      const part = make(this);
      if (close !== undefined) this.closers.push(() => close(part));
      return part;
    });
    this.parts.register(token, { useFactory });
    return this;
  }

  /** Registers a class whose constructor takes other parts. */
  provideClass<Part, Needed extends readonly unknown[]>(
    type: new (...needed: Needed) => Part,
    needed: { readonly [Position in keyof Needed]: InjectionToken<Needed[Position]> },
    close?: (part: Part) => Promise<void>,
  ): this {
    const make = () => new type(...(needed.map((token) => this.resolve(token)) as unknown as Needed));
    return this.provide(type, make, close);
  }

  /** The container would construct a class without parameters that nothing has registered. */
  assertRegistered(token: InjectionToken): void {
    if (!this.parts.isRegistered(token)) throw new Error(`no part is registered for ${nameOf(token)}`);
  }

  resolve<Part>(token: InjectionToken<Part>): Part {
    this.assertRegistered(token);
    return this.parts.resolve(token);
  }

  async close(): Promise<void> {
    for (const close of this.closers.splice(0).reverse()) await close();
  }
}

function nameOf(token: InjectionToken): string {
  return typeof token === 'function' ? token.name : String(token);
}
