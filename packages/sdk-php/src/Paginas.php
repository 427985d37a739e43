<?php

declare(strict_types=1);

namespace Acuse;

/** Lists that are asked for page by page. */
final class Paginas
{
    /**
     * Every element of a list, each page asked for when it is reached:
     * `Paginas::elementos(fn (?string $cursor) => $acuse->tax->facturas(rfc: $rfc, desde: $desde, hasta: $hasta, limite: 200, cursor: $cursor))`.
     * The pages of a list from the SAT are those of one answer, charged with the first. It ends where there is no next
     * page, or the next one is the one just asked for, as in `sincronizacion->cambios`, whose cursor goes on tomorrow.
     *
     * @template T
     * @param callable(?string): array{data: array{items: list<T>, siguiente: string|null}} $pedir Asks for the page of a
     *     cursor, which is null for the first. What it throws comes out.
     * @return \Generator<int, T> With keys that go on from page to page.
     */
    public static function elementos(callable $pedir): \Generator
    {
        $cursor = null;
        do {
            $pagina = $pedir($cursor)['data'];
            foreach ($pagina['items'] as $elemento) {
                yield $elemento;
            }
            $asked = $cursor;
            $cursor = $pagina['siguiente'];
        } while ($cursor !== null && $cursor !== $asked);
    }
}
