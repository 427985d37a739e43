<?php

declare(strict_types=1);

namespace Acuse;

/** A package in a file. */
final class ArchivoGuardado
{
    /** @param string $sha256 Hexadecimal; that of the bytes in the file. */
    public function __construct(
        public readonly string $ruta,
        public readonly int $bytes,
        public readonly string $sha256,
    ) {
    }
}
