/** Work around single methods of a port: `run` carries out the call. */
type Around<P> = {
  readonly [M in keyof P]?: P[M] extends (...args: infer Args) => Promise<infer R>
    ? (run: () => Promise<R>, ...args: Args) => Promise<R>
    : never;
};

/** Notes about single methods of a port, after each call that succeeds. */
type Notes<P> = {
  readonly [M in keyof P]?: P[M] extends (...args: infer Args) => Promise<infer R>
    ? (result: R, ...args: Args) => unknown
    : never;
};

/** The same port with work around the methods that `work` names, or around each of them. */
export function around<P extends object>(port: P, work: Around<P> | (<R>(run: () => Promise<R>) => Promise<R>)): P {
  // A name of Object.prototype, such as toString, is no work.
  const workOf = (name: PropertyKey): unknown =>
    typeof work === 'function' ? work : Object.hasOwn(work, name) ? Reflect.get(work, name) : undefined;
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      const own = workOf(name);
      if (typeof member !== 'function' || typeof own !== 'function') return member;
      return (...args: unknown[]) => own(() => Reflect.apply(member, target, args), ...args);
    },
  });
}

const noted =
  (note: (...args: unknown[]) => unknown) =>
  async (run: () => Promise<unknown>, ...args: unknown[]) => {
    const result = await run();
    await note(result, ...args);
    return result;
  };

/** The same port; a call of a method that `notes` names ends after its note. A call that rejects has none. */
export function noting<P extends object>(port: P, notes: Notes<P>): P {
  const work = Object.entries(notes as Readonly<Record<string, Parameters<typeof noted>[0]>>);
  return around<P>(port, Object.fromEntries(work.map(([name, note]) => [name, noted(note)])) as Around<P>);
}
