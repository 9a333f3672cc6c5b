"""A small file of each language, and the definitions that are in it: first line, last line, type, name, title."""

from __future__ import annotations

Expected = list[tuple[int, int, str, str, str]]

SAMPLES: dict[str, tuple[str, Expected]] = {}


def sample(path: str, text: str, expected: Expected) -> None:
    SAMPLES[path] = (text, expected)


sample(
    "python/shop.py",
    '''"""Prices."""

import math


# Rounds to cents.
@cached
def rounded(price):
    """Half up."""

    def inner(value):
        return math.floor(value)

    return inner(price)


class Basket(list):
    """What is bought."""

    limit = 10

    def total(self):
        return sum(self)

    # Anyone may look.
    @property
    def full(self):
        return len(self) >= self.limit


async def pay():
    await bank()
''',
    [
        (6, 14, "function", "rounded", "rounded"),
        (17, 28, "class", "Basket", "Basket"),
        (22, 23, "method", "total", "Basket.total"),
        (25, 28, "method", "full", "Basket.full"),
        (31, 32, "function", "pay", "pay"),
    ],
)
sample(
    "javascript/shop.mjs",
    """/**
 * Adds things.
 */
export function add(a, b) {
  return a + b;
}

export default class Cart extends Base {
  // How many.
  size() {
    return 1;
  }

  grow = () => {
    return 2;
  };
}

const double = async (x) => {
  return x * 2;
};

exports.halve = function (x) {
  return x / 2;
};
""",
    [
        (1, 6, "function", "add", "add"),
        (8, 17, "class", "Cart", "Cart"),
        (9, 12, "method", "size", "Cart.size"),
        (14, 16, "method", "grow", "Cart.grow"),
        (19, 21, "function", "double", "double"),
        (23, 25, "function", "halve", "exports.halve"),
    ],
)
sample(
    "typescript/shop.ts",
    """// What can be sold.
export interface Article {
  price: number;
}

type Money = { cents: number };

export enum Colour {
  Red,
}

export abstract class Shop<T> {
  private open = true;

  @logged()
  sell(what: T): void {
    return;
  }
}

namespace Tax {
  export function rate(): number {
    return 7;
  }
}
""",
    [
        (1, 4, "interface", "Article", "Article"),
        (6, 6, "type", "Money", "Money"),
        (8, 10, "enum", "Colour", "Colour"),
        (12, 19, "class", "Shop", "Shop"),
        (15, 18, "method", "sell", "Shop.sell"),
        (21, 25, "module", "Tax", "Tax"),
        (22, 24, "function", "rate", "Tax.rate"),
    ],
)
sample(
    "typescript/view.tsx",
    """export const View = (props: Props) => {
  return <div>{props.name}</div>;
};
function Row() {
  return <tr />;
}
""",
    [(1, 3, "function", "View", "View"), (4, 6, "function", "Row", "Row")],
)
sample(
    "javascript/view.jsx",
    """function Table() {
  return <table></table>;
}
""",
    [(1, 3, "function", "Table", "Table")],
)
sample(
    "rust/lib.rs",
    """use std::fmt;

/// A point.
#[derive(Debug)]
pub struct Point {
    x: i32,
}

impl fmt::Display for Point {
    /// Shows it.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.x)
    }
}

pub trait Shape {
    fn area(&self) -> f64;
    fn twice(&self) -> f64 { 2.0 * self.area() }
}

mod tests {
    #[test]
    fn works() {}
}

macro_rules! two { () => { 2 } }

pub(crate) async fn main() {
    run().await;
}

enum Side { Left, Right }
""",
    [
        (3, 7, "struct", "Point", "Point"),
        (9, 14, "impl", "Point", "Point"),
        (10, 13, "method", "fmt", "Point.fmt"),
        (16, 19, "trait", "Shape", "Shape"),
        (18, 18, "method", "twice", "Shape.twice"),
        (21, 24, "module", "tests", "tests"),
        (22, 23, "function", "works", "tests.works"),
        (26, 26, "macro", "two", "two"),
        (28, 30, "function", "main", "main"),
        (32, 32, "enum", "Side", "Side"),
    ],
)
sample(
    "go/main.go",
    """package main

// Point is a place.
type Point struct {
	X int
}

type (
	Mover interface {
		Move(dx int)
	}
	Count int
)

// Move goes there.
func (p *Point) Move(dx int) {
	p.X += dx
}

func main() {
	run()
}
""",
    [
        (3, 6, "struct", "Point", "Point"),
        (9, 11, "interface", "Mover", "Mover"),
        (12, 12, "type", "Count", "Count"),
        (15, 18, "method", "Move", "Point.Move"),
        (20, 22, "function", "main", "main"),
    ],
)
sample(
    "java/Shop.java",
    """package shop;

/** Sells. */
@Deprecated
public class Shop {
  int open = 1;

  /** Opens. */
  Shop() {
  }

  @Override
  public String toString() {
    return "";
  }

  interface Sign {
    void read();
  }
}

record Pair(int a, int b) {
}
""",
    [
        (3, 20, "class", "Shop", "Shop"),
        (8, 10, "method", "Shop", "Shop.Shop"),
        (12, 15, "method", "toString", "Shop.toString"),
        (17, 19, "interface", "Sign", "Shop.Sign"),
        (18, 18, "method", "read", "Shop.Sign.read"),
        (22, 23, "class", "Pair", "Pair"),
    ],
)
sample(
    "c/point.c",
    """#include <stdio.h>

#define SQUARE(x) ((x) * (x))

/* A place. */
struct point {
    int x;
};

typedef struct {
    int a;
} pair_t;

enum side { LEFT, RIGHT };

/*
 * Adds.
 */
static int *add(int a, int b)
{
    return 0;
}
""",
    [
        (3, 3, "macro", "SQUARE", "SQUARE"),
        (5, 8, "struct", "point", "point"),
        (10, 12, "struct", "pair_t", "pair_t"),
        (14, 14, "enum", "side", "side"),
        (16, 22, "function", "add", "add"),
    ],
)
sample(
    "cpp/shop.cpp",
    """namespace shop {

// Sells.
class Shop : public Base {
 public:
  Shop() : open(true) {}
  ~Shop() {}
  int count() const { return 1; }

 private:
  bool open;
};

template <typename T>
T largest(T a, T b) {
  return a > b ? a : b;
}

void Shop::close(int when) {
  open = false;
}

}  // namespace shop
""",
    [
        (1, 23, "module", "shop", "shop"),
        (3, 12, "class", "Shop", "shop.Shop"),
        (6, 6, "method", "Shop", "shop.Shop.Shop"),
        (7, 7, "method", "~Shop", "shop.Shop.~Shop"),
        (8, 8, "method", "count", "shop.Shop.count"),
        (14, 17, "function", "largest", "shop.largest"),
        (19, 21, "method", "close", "shop.Shop::close"),
    ],
)
sample(
    "ruby/shop.rb",
    """module Trade
  # Sells.
  class Shop < Base
    # How many.
    def count(x)
      1
    end

    def self.open
      new
    end
  end
end

def top
  1
end
""",
    [
        (1, 13, "module", "Trade", "Trade"),
        (2, 12, "class", "Shop", "Trade.Shop"),
        (4, 7, "method", "count", "Trade.Shop.count"),
        (9, 11, "method", "open", "Trade.Shop.open"),
        (15, 17, "function", "top", "top"),
    ],
)
sample(
    "php/Shop.php",
    """<?php
namespace Trade;

/** Sells. */
class Shop extends Base
{
    /** How many. */
    public function count(): int
    {
        return 1;
    }
}

interface Sign {}

trait Closes {
    function close() {}
}

function top($x) {
    return $x;
}
""",
    [
        (4, 12, "class", "Shop", "Shop"),
        (7, 11, "method", "count", "Shop.count"),
        (14, 14, "interface", "Sign", "Sign"),
        (16, 18, "trait", "Closes", "Closes"),
        (17, 17, "method", "close", "Closes.close"),
        (20, 22, "function", "top", "top"),
    ],
)
sample(
    "csharp/Shop.cs",
    """using System;

namespace Trade
{
    /// <summary>Sells.</summary>
    public class Shop : Base
    {
        public int Open { get; set; }

        public Shop()
        {
        }

        /// <summary>How many.</summary>
        [Pure]
        public int Count() => 1;
    }

    public interface ISign { void Read(); }

    public record Pair(int A, int B);

    struct Point { }
}
""",
    [
        (3, 24, "module", "Trade", "Trade"),
        (5, 17, "class", "Shop", "Trade.Shop"),
        (10, 12, "method", "Shop", "Trade.Shop.Shop"),
        (14, 16, "method", "Count", "Trade.Shop.Count"),
        (19, 19, "interface", "ISign", "Trade.ISign"),
        (19, 19, "method", "Read", "Trade.ISign.Read"),
        (21, 21, "class", "Pair", "Trade.Pair"),
        (23, 23, "struct", "Point", "Trade.Point"),
    ],
)
sample(
    "kotlin/Shop.kt",
    """package trade

/** Sells. */
data class Shop(val open: Int) {
    // How many.
    fun count(): Int = 1

    companion object {
        fun make() = Shop(1)
    }
}

interface Sign {
    fun read()
}

enum class Side {
    LEFT, RIGHT
}

object Till {
    fun close() {
    }
}

fun top(x: Int): Int {
    return x
}
""",
    [
        (3, 11, "class", "Shop", "Shop"),
        (5, 6, "method", "count", "Shop.count"),
        (8, 10, "object", "Companion", "Shop.Companion"),
        (9, 9, "method", "make", "Shop.Companion.make"),
        (13, 15, "interface", "Sign", "Sign"),
        (14, 14, "method", "read", "Sign.read"),
        (17, 19, "enum", "Side", "Side"),
        (21, 24, "object", "Till", "Till"),
        (22, 23, "method", "close", "Till.close"),
        (26, 28, "function", "top", "top"),
    ],
)
sample(
    "swift/Shop.swift",
    """import Foundation

/// Sells.
class Shop: Base {
    init() {
    }

    /// How many.
    func count() -> Int {
        return 1
    }
}

struct Point {
    var x: Int
}

enum Side { case left }

protocol Sign {
    func read()
}

extension Shop {
    func close() {}
}

func top() {
}
""",
    [
        (3, 12, "class", "Shop", "Shop"),
        (5, 6, "method", "init", "Shop.init"),
        (8, 11, "method", "count", "Shop.count"),
        (14, 16, "struct", "Point", "Point"),
        (18, 18, "enum", "Side", "Side"),
        (20, 22, "protocol", "Sign", "Sign"),
        (24, 26, "extension", "Shop", "Shop"),
        (25, 25, "method", "close", "Shop.close"),
        (28, 29, "function", "top", "top"),
    ],
)
sample(
    "scala/Shop.scala",
    """package trade

/** Sells. */
class Shop(open: Int) {
  // How many.
  def count: Int = 1
}

object Till {
  def close(x: Int) = {
    x
  }
}

trait Sign {
  def read: Int
}

case class Pair(a: Int, b: Int)
""",
    [
        (3, 7, "class", "Shop", "Shop"),
        (5, 6, "method", "count", "Shop.count"),
        (9, 13, "object", "Till", "Till"),
        (10, 12, "method", "close", "Till.close"),
        (15, 17, "trait", "Sign", "Sign"),
        (19, 19, "class", "Pair", "Pair"),
    ],
)
sample(
    "shell/deploy",
    """#!/usr/bin/env bash
# Greets.
hello() {
  echo hello
}

function goodbye {
  echo goodbye
}
""",
    [(2, 5, "function", "hello", "hello"), (7, 9, "function", "goodbye", "goodbye")],
)
