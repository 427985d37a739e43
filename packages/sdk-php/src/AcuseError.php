<?php

declare(strict_types=1);

namespace Acuse;

/** What every call of this package throws; its message says in Spanish what happened, why and what to do. */
final class AcuseError extends \RuntimeException
{
    /**
     * @param string $nombre Tells apart what shares a code, and never changes: one of {@see Errores}.
     * @param int|null $codigo `cfdi_codigo`; null when the service did not say it.
     * @param int|null $http HTTP status; null without an answer.
     * @param array{campo?: string, motivo?: string, campos?: list<array{campo: string, motivo: string}>, reintentar_en?: int} $datos
     *     The precise cause and the wrong fields, where there are any.
     * @param string|null $requestId `X-Request-Id` of the answer: what the operator of the service asks for.
     */
    public function __construct(
        public readonly string $nombre,
        public readonly ?int $codigo = null,
        ?string $texto = null,
        public readonly ?int $http = null,
        public readonly array $datos = [],
        public readonly ?string $requestId = null,
        ?\Throwable $previous = null,
    ) {
        $campo = ($datos['campo'] ?? '') === '' ? '' : "{$datos['campo']}: ";
        // The text of a wrong field says its reason already.
        $isSaid = !isset($datos['motivo']) || str_contains($texto ?? '', $datos['motivo']);
        $motivo = $isSaid ? '' : " ($campo{$datos['motivo']})";
        parent::__construct(($texto ?? Errores::TEXTOS_LOCALES[$nombre] ?? $nombre) . $motivo, 0, $previous);
    }

    /** Seconds after which the service says that it is worth asking again; null when it does not say. */
    public function reintentarEn(): ?int
    {
        return $this->datos['reintentar_en'] ?? null;
    }

    /** Whether the same call may succeed when it is made again. */
    public function esPasajero(): bool
    {
        if ($this->nombre === Errores::RESPUESTA_ILEGIBLE) {
            return $this->http === 429 || $this->http >= 500;
        }
        return in_array($this->nombre, Errores::PASAJEROS, true)
            || (in_array($this->nombre, Errores::CON_PLAZO, true) && $this->reintentarEn() !== null);
    }
}
