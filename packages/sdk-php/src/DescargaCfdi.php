<?php

declare(strict_types=1);

namespace Acuse;

/** A request that ended with the CFDI themselves in a file. */
final class DescargaCfdi
{
    /**
     * @param array<string, mixed> $solicitud As in {@see Descarga}.
     * @param array<string, mixed> $paquete
     */
    public function __construct(
        public readonly array $solicitud,
        public readonly array $paquete,
        public readonly PaqueteCfdi $archivo,
    ) {
    }
}
